/** Encryption of a connection. */
export type EncryptionFacts =
  | { readonly is: 'none'; readonly isLoopback: boolean }
  | { readonly is: 'tls'; readonly version: string; readonly validToMs: number };

/** What an account of one unit may do. `publishesForeign` and `receivesForeign` concern topics of another unit. */
export interface RightsFacts {
  readonly unit: string;
  readonly publishesOwn: boolean;
  readonly receivesOwn: boolean;
  readonly publishesForeign: boolean;
  readonly receivesForeign: boolean;
  /** The broker ends the connection of a client that publishes to a topic it may not. */
  readonly disconnects: boolean;
}

export interface UnitFacts {
  readonly unit: string;
  /** Why the broker refuses the account of the unit; undefined: it admits it. */
  readonly refusal: string | undefined;
  /** What the unit has published about itself; undefined: nothing. */
  readonly state: string | undefined;
}

/** What the broker does for the leader's account. */
export interface ServiceFacts {
  /** As the broker calls itself; undefined: it does not publish it. */
  readonly version: string | undefined;
  readonly admitsStrangers: boolean;
  readonly admitsWrongPassword: boolean | 'no account';
  readonly hasMqtt5: boolean;
  readonly keepsRetained: boolean;
  readonly session: 'kept' | 'lost' | 'incomplete';
  readonly passesLargePayload: boolean;
  /** Median time until a message is acknowledged; undefined: none was. */
  readonly acknowledgementMs: number | undefined;
  readonly units: readonly UnitFacts[];
  /** Undefined: no unit could connect. */
  readonly rights: RightsFacts | undefined;
}

/** What remained of a session and a retained message over a restart. */
export interface RestartFacts {
  /** False: the broker says that it has run for longer. */
  readonly hasRestarted: boolean;
  readonly session: ServiceFacts['session'];
  readonly keepsRetained: boolean;
}

/** How far the leader came with a broker. */
export type BrokerFacts =
  | { readonly is: 'embedded' }
  | { readonly is: 'off' }
  | { readonly is: 'unreachable'; readonly cause: string }
  | { readonly is: 'untrusted'; readonly cause: string; readonly code: string | undefined }
  | {
      readonly is: 'refused';
      readonly encryption: EncryptionFacts;
      readonly cause: string;
      readonly hasAccount: boolean;
    }
  | { readonly is: 'silent'; readonly encryption: EncryptionFacts; readonly cause: string }
  | { readonly is: 'checked'; readonly encryption: EncryptionFacts; readonly service: ServiceFacts }
  | { readonly is: 'prepared'; readonly isPrepared: boolean }
  | { readonly is: 'restarted'; readonly restart: RestartFacts };

/** The longest payload that the embedded broker takes by default, which an external one must take too. */
export const largePayloadBytes = 256 * 1024;
