import { Type } from 'typebox';
import type { Json } from '../json.ts';

/** Parts that the shapes of leader and unit share. They are open: a newer side may add keys, an older one ignores them. */
export const Uuid = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });

/** Milliseconds since 1970-01-01T00:00Z. */
export const Moment = Type.Integer({ description: 'Milliseconds since 1970-01-01T00:00Z' });

export const ExperimentUid = Type.String({ minLength: 1, description: 'uid of an experiment, or `$experiment`' });

export const AnyJson = Type.Unsafe<Json>({ description: 'Any JSON value' });

/** The version of the protocol between leader and unit of this program. */
export const unitProtocol = 1;
