import type { FileEncoding } from './machine-ports.ts';

/** One thing that setup does to the machine. */
export type Change =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly text: string;
      readonly mode: number;
      /** In `latin1` a character of `text` is one byte. */
      readonly encoding: FileEncoding;
      /** The file of somebody else: its first text stays beside it. */
      readonly keepsOriginal: boolean;
      /** What it is for, in one sentence. */
      readonly purpose: string;
    }
  | { readonly kind: 'remove'; readonly path: string; readonly purpose: string }
  | {
      readonly kind: 'run';
      readonly program: string;
      readonly args: readonly string[];
      readonly purpose: string;
    };

export const write = (
  path: string,
  text: string,
  purpose: string,
  {
    mode = 0o644,
    encoding = 'utf8',
    keepsOriginal = false,
  }: { readonly mode?: number; readonly encoding?: FileEncoding; readonly keepsOriginal?: boolean } = {},
): Change => ({ kind: 'write', path, text, mode, encoding, keepsOriginal, purpose });

export const remove = (path: string, purpose: string): Change => ({ kind: 'remove', path, purpose });

export const run = (purpose: string, program: string, ...args: readonly string[]): Change => ({
  kind: 'run',
  program,
  args,
  purpose,
});
