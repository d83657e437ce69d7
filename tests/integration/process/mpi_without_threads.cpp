// Preloaded into a program (LD_PRELOAD): an MPI that only one thread may call.
extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided);

int MPI_Init_thread(int* /*argc*/, char*** /*argv*/, int /*required*/, int* provided) {
  *provided = 0;  // MPI_THREAD_SINGLE
  return 0;
}
