/**
 * The file of a worker thread or child process beside the file that starts it, as source or in the bundle. `near` is that file's
 * `import.meta.url`.
 */
export const workerFile = (
  name: 'writer-worker' | 'integrity-worker' | 'snapshot-worker' | 'postgres-reader-worker',
  near: string,
): URL => new URL(`./${name}${near.endsWith('.ts') ? '.ts' : '.js'}`, near);
