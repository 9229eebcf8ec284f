import { runProgram } from './run-program.ts';

export interface RunRequest {
  readonly id: number;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface RunAnswer {
  readonly id: number;
  readonly result: Awaited<ReturnType<typeof runProgram>>;
}

const isRequest = (value: unknown): value is RunRequest =>
  typeof value === 'object' && value !== null && 'id' in value && 'args' in value && 'environment' in value;

async function run({ id, args, environment }: RunRequest): Promise<void> {
  const answer: RunAnswer = { id, result: await runProgram(args, { environment }) };
  process.send?.(answer);
}

process.on('message', (message) => {
  // A fault of the program ends this process, and its end is the fault of the test.
  if (isRequest(message)) void run(message);
});
