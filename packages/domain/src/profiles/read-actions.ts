import type { Json } from '@lcs/contract';
import { nameHint } from '../names/name-hint.ts';
import type { BasicAction, ProfileAction, ProfileCondition, ProfileValues } from './profile.ts';
import { profileLogLevels } from './profile.ts';
import { actionKeys, isActionType, keysOfType, logOptionKeys, requiredLogOptionKeys } from './profile-keys.ts';
import type { Place, ShapeReader } from './shape-reader.ts';
import { shortened } from './shortened.ts';

type Fields = ReadonlyMap<string, Place>;

/** Maximum nesting of loops and waits. */
const maxDepth = 20;

const isAbsent = (place: Place | undefined): boolean =>
  place === undefined || (place.value.kind === 'scalar' && place.value.value === null);

class ActionReader {
  readonly #reader: ShapeReader;

  constructor(reader: ShapeReader) {
    this.#reader = reader;
  }

  /** `depth`: of the loops and waits around it. */
  any(place: Place, depth: number): ProfileAction | undefined {
    const type = this.#typeOf(place);
    if (type === undefined) return undefined;
    const fields = this.#reader.fields(place, [...actionKeys, ...keysOfType[type]]);
    if (fields === undefined) return undefined;
    if (depth >= maxDepth) return this.#reader.fault(place.path, 'schema.type', 'Actions are nested too deeply.');
    const base = {
      hours_elapsed: this.#hours(fields, 'hours_elapsed'),
      t: this.#time(fields, 't'),
      if: this.#condition(fields, 'if') ?? true,
    };
    switch (type) {
      case 'repeat':
        return {
          type,
          ...base,
          repeat_every_hours: this.#hours(fields, 'repeat_every_hours'),
          every: this.#time(fields, 'every'),
          while: this.#condition(fields, 'while') ?? true,
          max_hours: this.#hours(fields, 'max_hours'),
          max_time: this.#time(fields, 'max_time'),
          actions: this.#actions(place, fields, (one) => this.#basic(one, depth + 1)),
        };
      case 'when':
        return {
          type,
          ...base,
          condition: this.#condition(fields, 'condition'),
          wait_until: this.#condition(fields, 'wait_until'),
          actions: this.#actions(place, fields, (one) => this.any(one, depth + 1)),
        };
      case 'log':
        return { type, ...base, options: this.#message(place, fields) };
      case 'start':
        return {
          type,
          ...base,
          options: this.#values(fields, 'options'),
          args: this.#args(fields),
          config_overrides: this.#values(fields, 'config_overrides'),
        };
      case 'update':
        return { type, ...base, options: this.#values(fields, 'options') };
      default:
        return { type, ...base };
    }
  }

  #basic(place: Place, depth: number): BasicAction | undefined {
    const action = this.any(place, depth);
    if (action?.type !== 'repeat' && action?.type !== 'when') return action;
    const message = `A 'repeat' must not contain '${action.type}'.`;
    return this.#reader.fault(
      place.path,
      'schema.action_type',
      message,
      "Put the 'repeat' inside the 'when', or next to it.",
    );
  }

  #typeOf(place: Place): ProfileAction['type'] | undefined {
    const { path, value } = place;
    if (value.kind !== 'map') return this.#reader.wrongType(place, 'an action');
    const type = value.entries.get('type')?.value;
    if (type === undefined) return this.#reader.fault(path, 'schema.missing', "The key 'type' is missing.");
    const word = type.kind === 'scalar' ? String(type.value) : '';
    if (isActionType(word)) return word;
    const hint = nameHint(word, Object.keys(keysOfType));
    const message = `The action type '${shortened(word)}' is unknown.`;
    return this.#reader.fault(`${path}.type`, 'schema.action_type', message, hint);
  }

  #actions<Action>(place: Place, fields: Fields, read: (place: Place) => Action | undefined): readonly Action[] {
    const actions = fields.get('actions');
    if (actions !== undefined && !isAbsent(actions)) return this.#reader.list(actions, read) ?? [];
    this.#reader.fault(place.path, 'schema.missing', "The key 'actions' is missing.");
    return [];
  }

  #hours(fields: Fields, key: string): number | null {
    const place = fields.get(key);
    if (place === undefined || isAbsent(place)) return null;
    const value = this.#reader.scalar(place, 'a number of hours', (one) => typeof one === 'number');
    return typeof value === 'number' ? value : null;
  }

  #time(fields: Fields, key: string): number | string | null {
    const place = fields.get(key);
    if (place === undefined || isAbsent(place)) return null;
    const expected = "a time such as '10s', '15m', '1.5h', '2d', or a number of hours";
    const value = this.#reader.scalar(place, expected, (one) => typeof one === 'number' || typeof one === 'string');
    return typeof value === 'number' || typeof value === 'string' ? value : null;
  }

  #condition(fields: Fields, key: string): ProfileCondition | null {
    const place = fields.get(key);
    if (place === undefined || isAbsent(place)) return null;
    const { value } = place;
    // A number is an expression too; YAML takes the quotes off.
    if (value.kind === 'scalar' && typeof value.value === 'number') return String(value.value);
    const read = this.#reader.scalar(
      place,
      'true, false, or an expression',
      (one) => typeof one === 'boolean' || typeof one === 'string',
    );
    return typeof read === 'boolean' || typeof read === 'string' ? read : null;
  }

  #values(fields: Fields, key: string): ProfileValues {
    const place = fields.get(key);
    return place === undefined ? {} : (this.#reader.record<Json>(place, this.#reader.json) ?? {});
  }

  #args(fields: Fields): readonly string[] {
    const place = fields.get('args');
    if (place === undefined) return [];
    const read = (one: Place) => {
      const { value } = one;
      return value.kind === 'scalar' && typeof value.value === 'number' ? String(value.value) : this.#reader.text(one);
    };
    return this.#reader.list(place, read) ?? [];
  }

  #message(place: Place, fields: Fields): { readonly message: string; readonly level: string } {
    const none = { message: '', level: 'NOTICE' };
    const options = fields.get('options');
    if (options === undefined || isAbsent(options)) {
      this.#reader.fault(place.path, 'schema.missing', "A log action must have options with a 'message'.");
      return none;
    }
    const own = this.#reader.fields(options, logOptionKeys, { required: requiredLogOptionKeys, isOpen: true });
    const message = own?.get('message');
    const level = own?.get('level');
    return {
      message: (message && this.#reader.text(message)) ?? none.message,
      level: level === undefined || isAbsent(level) ? none.level : (this.#level(level) ?? none.level),
    };
  }

  #level(place: Place): string | undefined {
    const word = this.#reader.text(place);
    if (word === undefined) return undefined;
    if (profileLogLevels.some((level) => level === word || level.toLowerCase() === word)) return word;
    const hint = `Use one of: ${profileLogLevels.join(', ')}.`;
    return this.#reader.fault(place.path, 'schema.type', `The level '${word}' is unknown.`, hint);
  }
}

/** The actions of a job. */
export const readActions = (reader: ShapeReader, place: Place): readonly ProfileAction[] => {
  const actions = new ActionReader(reader);
  return reader.list(place, (one) => actions.any(one, 0)) ?? [];
};
