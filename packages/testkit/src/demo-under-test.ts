import { createDemo, type Demo, type DemoOptions } from '@lcs/cluster';
import { memoryLog } from '@lcs/platform';

/** Starts a demonstration in this process, on free ports: three units in real time, unless the options say otherwise. */
export async function startDemo(
  dataFolder: string,
  options: Partial<DemoOptions> = {},
): Promise<Demo & AsyncDisposable> {
  const demo = createDemo({
    name: 'leader',
    dataFolder,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    log: memoryLog(),
    units: 3,
    speed: 1,
    seed: 1,
    ...options,
  });
  await demo.start(new AbortController().signal);
  return Object.assign(demo, { [Symbol.asyncDispose]: () => demo.stop() });
}
