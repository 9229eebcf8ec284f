/**
 * Where crash tests end the process: a plain value, because a function cannot be passed to the writer's thread. Only crash tests set it.
 *
 * Points in the writer: `write.begun`, `write.before_commit`, `write.after_commit` (commands), `bulk.begun`,
 * `bulk.before_commit`, `bulk.after_commit` (samples), `migration.backup_done`, `migration.before_commit`,
 * `migration.after_commit`. The `probe` of the main thread sees `write.answered` and `bulk.answered`, just before the call is answered.
 */
export interface CrashAt {
  readonly point: string;
  /** Which hit of the point ends the process: 1 is the first. */
  readonly afterHits: number;
  /** `kill` (the default) ends the process like a power cut; `exit` ends the writer's thread alone. */
  readonly how?: 'kill' | 'exit';
}

/** Called at each point. */
export type ReachedPoint = (point: string) => void;

/** Counts the hits of one point and ends the process, or the thread, at the chosen one. */
export const crashPoint = (crashAt: CrashAt | undefined): ReachedPoint => {
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
