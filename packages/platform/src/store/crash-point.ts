/**
 * Where crash tests end the process. A function cannot cross into the writer's thread, so a place there is named by this
 * plain value. Only crash tests set it; without it no point does anything.
 *
 * Points in the writer: `write.begun`, `write.before_commit`, `write.after_commit` (commands), `bulk.begun`,
 * `bulk.before_commit`, `bulk.after_commit` (samples), `migration.backup_done`, `migration.before_commit`,
 * `migration.after_commit`. The `probe` of the main thread sees `write.answered` and `bulk.answered`, just before the caller
 * hears of its commit.
 */
export interface CrashAt {
  readonly point: string;
  /** Which passage ends the process: 1 is the first. */
  readonly afterHits: number;
  /** `kill` (the default) ends the process as a power cut would; `exit` ends the writer's thread alone. */
  readonly how?: 'kill' | 'exit';
}

/** Told where the work is. */
export type ReachedPoint = (point: string) => void;

/** Counts the passages at one point and ends the process, or the thread, at the chosen one. */
export const crashPassage = (crashAt: CrashAt | undefined): ReachedPoint => {
  if (crashAt === undefined) return () => {};
  let hits = 0;
  return (point) => {
    if (point !== crashAt.point) return;
    hits += 1;
    if (hits !== crashAt.afterHits) return;
    if (crashAt.how === 'exit') process.exit(1);
    process.kill(process.pid, 'SIGKILL');
  };
};
