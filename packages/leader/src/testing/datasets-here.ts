import type { StartDatasets } from '../exports/dataset-threads.ts';

/**
 * Work on datasets in the thread of the tests: to start a thread takes longer than the work of most of them. Orders and replies are
 * copied as those of a thread are. It cannot be cut short: tests that end it use threads.
 */
export const datasetsHere: StartDatasets = (work, { onReply, onEnd }) => {
  let isWanted = true;
  const order = structuredClone(work);
  // What an export needs takes long to load, and few tests need it.
  const done = import('../exports/dataset-worker.ts').then(({ serve }) =>
    serve((reply) => {
      const copy = structuredClone(reply);
      setImmediate(() => {
        if (isWanted) onReply(copy);
      });
    }, order),
  );
  done.catch((error: unknown) => {
    if (isWanted) onEnd(String(error));
  });
  return {
    end: () => {
      isWanted = false;
      return done;
    },
  };
};
