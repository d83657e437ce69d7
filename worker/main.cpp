#include "cli/run.h"

int main(int argc, char** argv) { return ganscale::cli::run(argc, argv); }
