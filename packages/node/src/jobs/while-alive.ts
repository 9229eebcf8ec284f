/** Waits for `work`, and goes on only while the job lives: what comes after must not touch the world of an ended job. */
export async function whileAlive<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  try {
    const result = await work;
    signal.throwIfAborted();
    return result;
  } catch (error) {
    // What fails because the job has ended is not a failure.
    signal.throwIfAborted();
    throw error;
  }
}
