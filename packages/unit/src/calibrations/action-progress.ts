import type { HeldOutput } from '../jobs/shared/held-output.ts';

/** Receives the progress of an action, from 0 to 1. */
export type ActionProgress = (fraction: number) => void;

/** Takes an output for an action, which is off and free again when the action ends, however it ends. */
export type TakeOutput = (output: string) => Promise<HeldOutput>;
