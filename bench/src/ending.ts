import { killRunningChildren } from './process-figures.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Until it is disposed, `reached` rejects at the first of Ctrl-C and its like; a second one ends this process. */
export function interruption(): Disposable & { readonly reached: Promise<never> } {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (signal: string) => {
    release();
    reject(new Error(`interrupted by ${signal}`));
  };
  const release = () => {
    for (const signal of signals) process.off(signal, stop);
  };
  for (const signal of signals) process.on(signal, stop);
  return { reached: promise, [Symbol.dispose]: release };
}

/** Whatever ends this process by its own exit: what it has started does not outlive it. */
export function endWithChildren(): void {
  process.once('exit', () => killRunningChildren());
}
