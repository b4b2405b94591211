/** Ends the run with one plain line that people and CI can read: `N passed, N failed`. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const broken = results.testResults.filter((file) => file.testExecError).length;
    const failed = results.numFailedTests + broken;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // The default reporter writes its summary to stderr; wait for it so that ours is the last.
    process.stderr.write('', () => {
      process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${tail}\n`);
    });
  }
}
