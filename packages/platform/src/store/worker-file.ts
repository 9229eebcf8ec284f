/**
 * Where the code of a worker thread, or of a process for one question, is: beside the file that starts it, as a source of its own ending, or as the bundle has
 * named it. `near` is that file's `import.meta.url`.
 */
export const workerFile = (name: 'writer-worker' | 'integrity-worker' | 'snapshot-worker', near: string): URL =>
  new URL(`./${name}${near.endsWith('.ts') ? '.ts' : '.js'}`, near);
