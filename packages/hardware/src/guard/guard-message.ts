import type { BoardLayout } from '../board-layout.ts';
import type { LinuxPlaces } from '../linux/linux-buses.ts';
import type { GuardNotice, GuardRequest, GuardResponse, Wiring } from './guard-types.ts';

/** The start parameters of a guard process, as one JSON argument. */
export interface GuardProcessOptions {
  readonly board:
    | { readonly kind: 'simulated'; readonly socketPath: string }
    | { readonly kind: 'linux'; readonly places: LinuxPlaces };
  readonly layout: BoardLayout;
  readonly wiring: Wiring;
  /** How long a guard without a node continues when its board no longer exists; default 10 s. */
  readonly boardLostLimitMs?: number;
}

/** How a guard process ends by itself. */
export const guardExitCodes = {
  /** All outputs are off, or were never there. */
  safe: 0,
  /** Its node and its simulated board have ended: there are no outputs. */
  boardLost: 3,
  /** A mistake of the program; what could be switched off is off. */
  unexpected: 4,
} as const;

/** A lease lasts this long after its renewal. */
export const leaseMs = 5000;

/** Interval of the node's heartbeat, which renews its leases. */
export const heartbeatMs = 200;

/** A node silent for this long counts as stalled: with the time to write, outputs are safe within a second. */
export const stallMs = 800;

export interface GuardCall {
  readonly id: number;
  readonly request: GuardRequest;
}

export type GuardReply =
  | { readonly ready: true }
  | { readonly id: number; readonly response: GuardResponse }
  | { readonly notice: GuardNotice };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Both ends are of one program: this distinguishes the messages, it does not check their content. */
export const isGuardCall = (message: unknown): message is GuardCall =>
  isObject(message) && 'id' in message && typeof message.id === 'number' && 'request' in message;

export const isGuardReply = (message: unknown): message is GuardReply =>
  isObject(message) && ('ready' in message || 'notice' in message || ('id' in message && 'response' in message));
