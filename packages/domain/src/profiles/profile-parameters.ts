import { hourMs } from '@lcs/contract/durations';
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml';
import { longestYaml } from '../yaml/locate-yaml.ts';
import { reactorsAlias } from './profile-keys.ts';
import { profileTime } from './profile-time.ts';

/** Part of a text, from a character up to but not including another one. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** A value of `inputs`. */
interface InputParameter {
  readonly name: string;
  readonly value: number | string | boolean;
  readonly places: readonly Span[];
}

/** A time at which actions of the outermost level are due. */
interface TimeParameter {
  readonly hours: number;
  readonly actions: readonly { readonly job: string; readonly type: string }[];
  readonly places: readonly Span[];
}

/** A unit for which the profile has actions of its own. */
interface UnitParameter {
  readonly unit: string;
  readonly label: string | null;
  readonly places: readonly Span[];
}

/** What a person can set in a profile without writing YAML, each with its places in the text. */
export interface ProfileParameters {
  readonly inputs: readonly InputParameter[];
  readonly times: readonly TimeParameter[];
  readonly units: readonly UnitParameter[];
}

/** Waits and loops are decided by conditions; their times belong together with others in the text. */
const decidedByConditions: ReadonlySet<string> = new Set(['when', 'repeat']);

/** Earlier actions bring up the jobs one after the other: nobody plans them. */
const shortestPlannedMs = hourMs;

type Entry = Pair<Node, Node | null>;

const keyOf = ({ key }: Entry): string => (isScalar(key) ? String(key.value) : '');

/** The entries of a mapping; none for anything else. */
const entriesOf = (node: Node | null | undefined): readonly Entry[] =>
  isMap<Node, Node | null>(node) ? node.items : [];

const valueAt = (node: Node | null | undefined, key: string): Node | null | undefined =>
  entriesOf(node).find((entry) => keyOf(entry) === key)?.value;

function spanOf({ range }: Node): readonly Span[] {
  return range ? [{ from: range[0], to: range[1] }] : [];
}

function inputsOf(root: Node | null): readonly InputParameter[] {
  return entriesOf(valueAt(root, 'inputs')).flatMap((entry) => {
    const { value: node } = entry;
    if (!isScalar(node)) return [];
    const { value } = node;
    if (typeof value !== 'number' && typeof value !== 'string' && typeof value !== 'boolean') return [];
    return [{ name: keyOf(entry), value, places: spanOf(node) }];
  });
}

interface TimedAction {
  readonly job: string;
  readonly type: string;
  readonly ms: number;
  readonly place: readonly Span[];
}

function timedAction(job: string, action: Node | null): readonly TimedAction[] {
  const type = valueAt(action, 'type');
  const time = valueAt(action, 't');
  if (!isScalar(type) || !isScalar(time)) return [];
  if (typeof time.value !== 'number' && typeof time.value !== 'string') return [];
  const read = profileTime(time.value);
  return read.ok ? [{ job, type: String(type.value), ms: read.ms, place: spanOf(time) }] : [];
}

/** The actions of the outermost level; what an alias repeats stands in the text once. */
function timedActions(jobs: Node | null | undefined): readonly TimedAction[] {
  return entriesOf(jobs).flatMap((entry) => {
    const actions = valueAt(entry.value, 'actions');
    return isSeq<Node | null>(actions) ? actions.items.flatMap((action) => timedAction(keyOf(entry), action)) : [];
  });
}

function timesOf(actions: readonly TimedAction[]): readonly TimeParameter[] {
  const planned = actions.filter(({ ms, type }) => ms >= shortestPlannedMs && !decidedByConditions.has(type));
  return [...Map.groupBy(planned, ({ ms }) => ms)]
    .sort(([one], [other]) => one - other)
    .map(([ms, due]) => ({
      hours: ms / hourMs,
      actions: due.map(({ job, type }) => ({ job, type })),
      places: due.flatMap(({ place }) => place),
    }));
}

const labelOf = (reactor: Node | null | undefined): string | null => {
  const label = valueAt(reactor, 'label');
  return isScalar(label) && typeof label.value === 'string' ? label.value : null;
};

/** Reads what a person can set in a profile; undefined: the text is no YAML. */
export function profileParameters(text: string): ProfileParameters | undefined {
  if (text.length > longestYaml) return undefined;
  // Two units of one name are a fault of the profile, and are set apart by the same form.
  const { contents: root, errors } = parseDocument(text, {
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  if (errors.length > 0) return undefined;
  const reactors = entriesOf(valueAt(root, 'reactors') ?? valueAt(root, reactorsAlias));
  const actions = [
    valueAt(valueAt(root, 'common'), 'jobs'),
    ...reactors.map(({ value }) => (isAlias(value) ? undefined : valueAt(value, 'jobs'))),
  ].flatMap(timedActions);
  return {
    inputs: inputsOf(root),
    times: timesOf(actions),
    units: reactors.map((entry) => ({
      unit: keyOf(entry),
      label: labelOf(entry.value),
      places: spanOf(entry.key),
    })),
  };
}

/** A value as a profile has it. */
export const yamlOf = (value: number | string | boolean): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(value);

/** The text with another value at places of one parameter; comments and everything else stay. */
export const withWritten = (text: string, places: readonly Span[], written: string): string =>
  [...places]
    .sort((one, other) => other.from - one.from)
    .reduce((changed, { from, to }) => changed.slice(0, from) + written + changed.slice(to), text);

/** What the comment at the beginning of a documented profile explains, by its heading: `Needs`, `Measures`, `Safe`. */
export function profileNotes(text: string): readonly { readonly heading: string; readonly text: string }[] {
  const lines = /^(?:#.*\n)*/.exec(text)?.[0].split('\n') ?? [];
  const notes: { heading: string; text: string }[] = [];
  for (const line of lines) {
    const [, heading, begun] = /^# ([A-Z][a-z]+):\s+(.*)$/.exec(line) ?? [];
    const [, continued] = /^# {3,}(\S.*)$/.exec(line) ?? [];
    const last = notes.at(-1);
    if (heading !== undefined && begun !== undefined) notes.push({ heading, text: begun });
    else if (continued !== undefined && last !== undefined) last.text += ` ${continued}`;
  }
  return notes;
}
