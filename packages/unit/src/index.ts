export { FeedHandler, type FeedHandlerOptions, type Heartbeat } from './feed/feed-handler.ts';
export type { NewNote, NewRecord, NewSample } from './outbox/new-record.ts';
export { type Appended, type Flushed, Outbox } from './outbox/outbox.ts';
export type { OutboxLimits, OutboxOptions } from './outbox/outbox-options.ts';
export { type OutboxTables, outboxMigrations } from './outbox/outbox-tables.ts';
export type { Acceptance } from './outbox/room.ts';
export { type ClockStep, type Stamp, UnitTime, type UnitTimeOptions } from './time/unit-time.ts';
