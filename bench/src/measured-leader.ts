import { monitorEventLoopDelay } from 'node:perf_hooks';
import { main } from '@lcs/cli';

/** A leader that tells its parent, when asked, how much memory it holds and how late its event loop was since the last time. */
export interface Measurement {
  readonly residentBytes: number;
  readonly eventLoopDelayP99Ms: number;
}

const resolutionMs = 1;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();

process.on('message', () => {
  const measurement: Measurement = {
    residentBytes: process.memoryUsage.rss(),
    eventLoopDelayP99Ms: Math.max(0, delay.percentile(99) / 1e6 - resolutionMs),
  };
  delay.reset();
  process.send?.(measurement);
});

process.exitCode = await main({
  arguments: process.argv.slice(2),
  environment: {},
  stdout: process.stdout,
  stderr: process.stderr,
  onSignal: (signal, action) => process.on(signal, action),
});
process.disconnect();
