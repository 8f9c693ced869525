// Runs before each test file: goes where hack/surroundings.mjs says, as tests may run anywhere.
process.chdir(process.env.TEST_CWD ?? '.');
