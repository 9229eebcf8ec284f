/**
 * A simulated board as a process of its own: it survives the node that uses it, and its witness file records what happened.
 * Argument: `BoardProcessOptions` as JSON. When it can be reached, it prints a line; SIGTERM ends it.
 */
import { realClock } from '@lcs/platform/clock';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { type BoardProcessOptions, plantModuleOf } from './board-process-options.ts';
import { BoardServer } from './board-server.ts';
import { PlantFile } from './plant-file.ts';
import { WitnessFile } from './witness-file.ts';

const options: BoardProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const clock = realClock();
const witness = new WitnessFile(options.witnessPath);
const { createPlant } = plantModuleOf(await import(options.plantModule));
const plant = createPlant(options.plantOptions, options.seed);
const board = new SimulatedBoard({
  layout: options.layout,
  plant,
  clock,
  seed: options.seed,
  witness: witness.record,
  ...(options.oversampling && { oversampling: options.oversampling }),
});
const onFailure = (what: string, error: unknown): void => {
  process.stderr.write(`The simulated board failed (${what}): ${String(error)}\n`);
};
// The reader of this output may have been killed; the board continues.
process.stderr.on('error', () => {});
const server = new BoardServer({ board, socketPath: options.socketPath, onFailure });
const { statePath } = options;
const file =
  statePath === undefined
    ? undefined
    : new PlantFile({ path: statePath, plant, clock, onFailure: (error) => onFailure('state', error) });

/** The state is on disk before the socket is closed: a node that no longer reaches the board may start the next one. */
async function end(): Promise<void> {
  await file?.stop();
  await server.stop();
  await witness.stop();
}

await witness.start();
witness.record({ kind: 'start', mono_us: Math.round(clock.monotonic() * 1000), at: clock.now() });
await file?.start();
await server.start();
process.once('SIGTERM', () => {
  void end();
});
process.stdout.write('{"ready":true}\n');
