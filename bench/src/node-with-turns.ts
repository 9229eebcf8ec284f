import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import sparing from '../../packages/cli/bin/sparing.json' with { type: 'json' };

/** A node whose event loop is watched. */
export interface NodeWithTurns extends AsyncDisposable {
  readonly url: string;
  /** The longest turn of its event loop while `work` was under way; milliseconds of processor time. */
  longestTurnMs(work: () => Promise<void>): Promise<number>;
}

/** Begins or ends a measurement. */
async function toggle(child: ChildProcess): Promise<number> {
  const answered = once(child, 'message');
  child.send('toggle');
  const [answer]: { readonly longestTurnMs: number }[] = await answered;
  return answer?.longestTurnMs ?? Number.NaN;
}

/** Runs `lcs` with these words in a process of its own. */
export async function startNodeWithTurns(role: 'leader' | 'unit', words: readonly string[]): Promise<NodeWithTurns> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('../../packages/cli/bin/lcs.js', import.meta.url)),
    [role, '--json', ...words],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      // `lcs` begins anew with these flags and this environment, which would cut the channel.
      execArgv: [...sparing.flags[role], '--import', new URL('./measure-turns.js', import.meta.url).href],
      env: { ...sparing.environment[role], ...process.env },
    },
  );
  if (!child.stdout) throw new Error(`the ${role} has no output`);
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  const { url }: { url: string } = JSON.parse(line ?? '{}');
  return {
    url,
    longestTurnMs: async (work) => {
      await toggle(child);
      await work();
      return toggle(child);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
