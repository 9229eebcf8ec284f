// Loaded before the program that is measured. Plain JavaScript: a TypeScript file would make Node load what strips types, and
// the memory of that would be counted.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

// Answers its parent with the memory it holds and how late its event loop was since the last time.
process.on('message', () => {
  process.send?.({
    residentBytes: process.memoryUsage.rss(),
    eventLoopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - resolutionMs),
  });
  delay.reset();
});
process.channel?.unref();
