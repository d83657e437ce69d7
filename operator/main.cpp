#include "verbs/verbs.h"

int main(int argc, char** argv) { return ganscale::controller::run_program(argc, argv); }
