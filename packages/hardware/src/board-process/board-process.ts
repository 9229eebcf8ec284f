/**
 * A simulated board as a process of its own: it survives the node that uses it, and its witness file says what happened.
 * Argument: `BoardProcessOptions` as JSON. When it can be reached, it prints a line; SIGTERM ends it.
 */
import { realClock } from '@lcs/platform/clock';
import { SimulatedBoard } from '../simulated/simulated-board.ts';
import { type BoardProcessOptions, plantModuleOf } from './board-process-options.ts';
import { BoardServer } from './board-server.ts';
import { WitnessFile } from './witness-file.ts';

const options: BoardProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const clock = realClock();
const witness = new WitnessFile(options.witnessPath);
const { createPlant } = plantModuleOf(await import(options.plantModule));
const board = new SimulatedBoard({
  layout: options.layout,
  plant: createPlant(options.plantOptions, options.seed),
  clock,
  seed: options.seed,
  witness: witness.record,
  ...(options.oversampling && { oversampling: options.oversampling }),
});
const server = new BoardServer({
  board,
  socketPath: options.socketPath,
  onFailure: (op, error) => process.stderr.write(`The simulated board failed (${op}): ${String(error)}\n`),
});

await witness.start();
witness.record({ kind: 'start', mono_us: Math.round(clock.monotonic() * 1000), at: clock.now() });
await server.start();
process.once('SIGTERM', () => {
  void server.stop().then(() => witness.stop());
});
process.stdout.write('{"ready":true}\n');
