import type { cameraRoutes, Handlers } from '@lcs/contract';
import type { Service } from '@lcs/platform';
import type { LeaderContext } from '../core/leader-context.ts';
import type { OnMarked } from '../experiments/experiment-deletion.ts';
import { cameraHandlers } from './camera-handlers.ts';
import { StillCleanup } from './still-cleanup.ts';

/** Cameras of units, for the leader. */
export interface Cameras {
  readonly handlers: Handlers<typeof cameraRoutes>;
  /** For the deletion of experiments. */
  readonly onDeleted: OnMarked;
  /** Services that start when units are reachable. */
  readonly parts: readonly Service[];
}

export function createCameras(context: LeaderContext): Cameras {
  const cleanup = new StillCleanup(context);
  return { handlers: cameraHandlers(context), onDeleted: cleanup.onDeleted, parts: [cleanup] };
}
