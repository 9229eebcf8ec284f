import { execFile } from 'node:child_process';

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program with these arguments, without a shell. Rejects when it cannot be started. */
export type RunCommand = (file: string, args: readonly string[]) => Promise<CommandResult>;

const limitMs = 60_000;

/** The real implementation. The environment only has what makes the output predictable. */
export const runCommand: RunCommand = (file, args) =>
  new Promise((resolve, reject) => {
    const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };
    execFile(file, [...args], { timeout: limitMs, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ exitCode: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
