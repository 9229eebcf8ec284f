import type { Agent } from 'node:http';

/** A node that answers in place of this one. */
export interface Target {
  readonly url: string;
  readonly agent: Agent;
}

/** Where requests go at the moment. @throws ApiError control_away */
export type FindTarget = () => Target;
