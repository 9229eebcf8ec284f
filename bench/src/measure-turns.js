// Loaded before the node that is measured. Plain JavaScript, as `measure-process.js` is.
import { isMainThread } from 'node:worker_threads';

/** So much at most is counted that came before or after the longest turn. */
const resolutionMs = 2;

const usedMicroseconds = () => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};

let timer;
let longestMicroseconds = 0;
let usedBefore = 0;

/** Processor time, so that other programs of the machine do not count. */
function look() {
  const used = usedMicroseconds();
  longestMicroseconds = Math.max(longestMicroseconds, used - usedBefore);
  usedBefore = used;
}

// The first message begins a measurement, the next one ends it; each is answered with the longest turn so far.
if (isMainThread) {
  process.on('message', () => {
    if (timer === undefined) {
      usedBefore = usedMicroseconds();
      longestMicroseconds = 0;
      timer = setInterval(look, resolutionMs);
    } else {
      look();
      clearInterval(timer);
      timer = undefined;
    }
    process.send?.({ longestTurnMs: longestMicroseconds / 1_000 });
  });
  process.channel?.unref();
}
