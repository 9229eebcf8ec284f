import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Service } from '@lcs/platform';
import type { Witness, WitnessEntry } from '../simulated/witness.ts';

/**
 * An append-only file of witness entries, one JSON object a line. Each entry is with the operating system before the chip
 * answers, so that a killed board process leaves nothing out; a loss of power is not covered.
 */
export class WitnessFile implements Service {
  readonly name = 'witness';
  readonly #path: string;
  #file: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async start(): Promise<void> {
    this.#file = openSync(this.#path, 'a');
  }

  async stop(): Promise<void> {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  readonly record: Witness = (entry) => {
    if (this.#file !== undefined) writeSync(this.#file, `${JSON.stringify(entry)}\n`);
  };
}

const isEntry = (value: unknown): value is WitnessEntry =>
  typeof value === 'object' && value !== null && 'kind' in value && 'mono_us' in value && 'at' in value;

/** All entries of a witness file; a last line that is still being written is left out. */
export function readWitness(path: string): WitnessEntry[] {
  const text = readFileSync(path, 'utf8');
  return parseWitness(text.slice(0, text.lastIndexOf('\n') + 1));
}

/** The entries of whole lines of a witness file. */
export function parseWitness(lines: string): WitnessEntry[] {
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter(isEntry);
}
