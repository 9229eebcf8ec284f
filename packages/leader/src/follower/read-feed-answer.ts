import { type FeedAnswer, isObject, unitProtocol } from '@lcs/contract';

const kinds = new Set(['sample', 'event', 'log', 'state', 'setting', 'gap']);
const numbers = ['protocol', 'boot', 'first_seq', 'head_seq', 'acked_seq', 'time', 'mono', 'desired_version'];
const lists = ['series', 'jobs', 'desired_pending'];

/**
 * Written by hand, because every reading of the cluster passes through it: the data that the leader's bookkeeping depends on are validated
 * (numbers, order, times, positions); texts and data are stored unchanged.
 */
function isRecordAfter(record: unknown, previous: number, seriesCount: number): boolean {
  if (!isObject(record) || !('seq' in record) || !('kind' in record)) return false;
  if (typeof record.seq !== 'number' || !Number.isSafeInteger(record.seq) || record.seq <= previous) return false;
  if (!('boot' in record && 'mono' in record && 'at' in record)) return false;
  if (
    !Number.isSafeInteger(record.boot) ||
    !Number.isSafeInteger(record.mono) ||
    !Number.isSafeInteger(record.at) ||
    Number(record.at) < 0
  ) {
    return false;
  }
  if (record.kind !== 'sample') {
    return (
      typeof record.kind === 'string' &&
      kinds.has(record.kind) &&
      'experiment_uid' in record &&
      typeof record.experiment_uid === 'string'
    );
  }
  if (!('series' in record && 'value' in record)) return false;
  const { series, value } = record;
  if (!Number.isInteger(series) || Number(series) < 0 || Number(series) >= seriesCount) return false;
  return Number.isFinite(value) && (!('flags' in record) || Array.isArray(record.flags));
}

const isNullish = (value: unknown): boolean => value === null || value === undefined;

const isTextOrNone = (value: unknown): boolean => isNullish(value) || typeof value === 'string';

const isDerivation = (value: unknown): boolean =>
  isNullish(value) ||
  (isObject(value) && ['key', 'name', 'version'].every((name) => typeof Reflect.get(value, name) === 'string'));

function isContext(value: unknown): boolean {
  if (isNullish(value)) return true;
  if (!isObject(value)) return false;
  const intensity: unknown = Reflect.get(value, 'ir_led_intensity');
  return (
    ['calibration_name', 'calibration_hash'].every((name) => isTextOrNone(Reflect.get(value, name))) &&
    (isNullish(intensity) || Number.isFinite(intensity))
  );
}

/** A number must be certain: it decides where the record is stored. */
function isSeries(entry: unknown): boolean {
  if (!isObject(entry)) return false;
  const angle: unknown = Reflect.get(entry, 'angle');
  return (
    ['experiment_uid', 'source'].every((name) => typeof Reflect.get(entry, name) === 'string') &&
    isTextOrNone(Reflect.get(entry, 'channel')) &&
    (isNullish(angle) || Number.isSafeInteger(angle)) &&
    isDerivation(Reflect.get(entry, 'derivation')) &&
    isContext(Reflect.get(entry, 'context'))
  );
}

/** Records without a known time get theirs by these. */
function isBoot(entry: unknown): boolean {
  if (!isObject(entry) || !Number.isSafeInteger(Reflect.get(entry, 'boot'))) return false;
  const wall0: unknown = Reflect.get(entry, 'wall0');
  return isNullish(wall0) || (Number.isSafeInteger(wall0) && Number(wall0) >= 0);
}

function hasBoots(answer: object): boolean {
  const boots: unknown = Reflect.get(answer, 'boots');
  return Array.isArray(boots) && boots.every(isBoot);
}

function hasRecordsAfter(answer: object, after: number): boolean {
  const records: unknown = Reflect.get(answer, 'records');
  const series: unknown = Reflect.get(answer, 'series');
  if (!Array.isArray(records) || !Array.isArray(series) || !series.every(isSeries)) return false;
  let previous = after;
  for (const record of records) {
    if (!isRecordAfter(record, previous, series.length)) return false;
    previous = record.seq;
  }
  return true;
}

const isFeedAnswer = (value: unknown, after: number): value is FeedAnswer =>
  isObject(value) &&
  typeof Reflect.get(value, 'epoch') === 'string' &&
  typeof Reflect.get(value, 'reactor_unit') === 'string' &&
  typeof Reflect.get(value, 'more') === 'boolean' &&
  isObject(Reflect.get(value, 'outbox')) &&
  numbers.every((name) => Number.isSafeInteger(Reflect.get(value, name))) &&
  lists.every((name) => Array.isArray(Reflect.get(value, name))) &&
  hasBoots(value) &&
  hasRecordsAfter(value, after);

/**
 * A unit's response in the form that the leader uses.
 * @throws FeedRefused `protocol_unsupported` when the unit uses another version, whatever the rest contains; `invalid_answer` when
 * it is not a feed whose records follow `after` in order.
 */
export function readFeedAnswer(value: unknown, after: number): FeedAnswer {
  const protocol: unknown = isObject(value) ? Reflect.get(value, 'protocol') : undefined;
  if (typeof protocol === 'number' && protocol !== unitProtocol) {
    const message = `The unit speaks version ${protocol} of the protocol, this leader version ${unitProtocol}.`;
    throw new FeedRefused('protocol_unsupported', message);
  }
  if (isFeedAnswer(value, after)) return value;
  throw new FeedRefused('invalid_answer', 'The unit answered something that is not its feed.');
}

/** The unit answered, but not with the requested data. */
export class FeedRefused extends Error {
  /** A code of the error table, or `invalid_answer`. */
  readonly code: string;
  readonly diagnostics: readonly unknown[];

  constructor(code: string, message: string, diagnostics: readonly unknown[] = []) {
    super(message);
    this.name = 'FeedRefused';
    this.code = code;
    this.diagnostics = diagnostics;
  }
}
