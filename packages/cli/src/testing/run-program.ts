import { main } from '../main.ts';
import type { ProgramIo } from '../program-io.ts';

interface ProgramEnvironment
  extends Partial<Pick<ProgramIo, 'ask' | 'defaultDataFolder' | 'environment' | 'input' | 'isRoot'>> {
  /** Whether stderr is a terminal. */
  readonly isTTY?: boolean;
}

/** The program in this process, while it runs. */
export interface ProgramUnderTest {
  /** Its output so far. */
  readonly written: { readonly out: string; readonly err: string };
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>;
  /** Sends it a signal to end. */
  signal(name: Parameters<ProgramIo['onSignal']>[0]): void;
}

/** Starts the program in this process, with these arguments; by default with an empty environment and no input. */
export function startProgram(args: readonly string[], options: ProgramEnvironment = {}): ProgramUnderTest {
  const { ask, environment = {}, input, isRoot = false, isTTY = false } = options;
  const written = { out: '', err: '' };
  const onSignal = new Map<string, () => void>();
  const ended = main({
    arguments: args,
    environment,
    defaultDataFolder: options.defaultDataFolder ?? './nowhere',
    stdout: {
      write: (text) => {
        written.out += text;
      },
    },
    stderr: {
      isTTY,
      write: (text) => {
        written.err += text;
      },
    },
    ...(input && { input }),
    ...(ask && { ask }),
    isRoot,
    onSignal: (signal, action) => {
      onSignal.set(signal, action);
    },
    exit: () => {},
  });
  return { written, ended, signal: (name) => onSignal.get(name)?.() };
}

/** Runs the program in this process to its end. */
export async function runProgram(
  args: readonly string[],
  options?: ProgramEnvironment,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const { written, ended } = startProgram(args, options);
  const code = await ended;
  return { code, ...written };
}
