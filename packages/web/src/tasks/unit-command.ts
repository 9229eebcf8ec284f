import { withJobInWords } from '../ui/plain-words.ts';
import { startWords } from '../words/start.ts';
import { unconfirmedCode } from './unconfirmed-code.ts';
import type { Refusal } from './unit-answers.ts';

/** A command to one or several units, and its state. */
export type UnitCommand =
  | { readonly phase: 'idle' }
  | { readonly phase: 'pending'; readonly what: string }
  | { readonly phase: 'done'; readonly what: string; readonly units: number }
  | {
      readonly phase: 'failed';
      readonly what: string;
      readonly refusals: readonly UnitRefusal[];
      /** How many units were asked; absent: not known, or one. */
      readonly units?: number;
    };

/** `unit`: its label; `null`: the command reached no unit. */
type UnitRefusal = Refusal & {
  readonly unit: string | null;
  /** The name of the unit. */
  readonly unitId?: string;
};

/** The end of the same command that was sent to several units one by one. */
export function joinedCommands(what: string, parts: readonly UnitCommand[]): UnitCommand {
  const all = parts.flatMap((part) => (part.phase === 'failed' ? part.refusals : []));
  // A unit that does not answer refuses each part for the same reason.
  const refusals = [
    ...new Map(all.map((each) => [JSON.stringify([each.unit, each.error, each.cause]), each])).values(),
  ];
  return refusals.length === 0 ? { phase: 'done', what, units: parts.length } : { phase: 'failed', what, refusals };
}

/** A command without the refusals that a person may confirm, where these are shown with what confirms them. */
export function withoutUnconfirmed(command: UnitCommand): UnitCommand {
  if (command.phase !== 'failed') return command;
  const refusals = command.refusals.filter(({ code }) => code !== unconfirmedCode);
  return refusals.length === 0 ? { phase: 'idle' } : { ...command, refusals };
}

/** A reason for which units refused a command, and their labels. */
interface RefusalReason {
  readonly units: readonly string[];
  readonly text: string;
}

const textOf = ({ error, cause, remediation }: UnitRefusal): string =>
  [...new Set([error, cause, remediation].map(withJobInWords))].filter((line) => line !== '').join(' ');

/** A text without the name of its unit; `unit1` is no part of `unit10`. */
function withoutName(text: string, name: string | undefined): string {
  if (name === undefined || name === '') return text;
  const parts = text.split(new RegExp(`(?<![\\w-])${name.replaceAll(/\W/g, '\\$&')}(?![\\w-])`));
  return parts.reduce(
    (before, after) =>
      `${before}${/(^|[.!?] )$/.test(before) ? startWords.theUnitAtStart : startWords.theUnit}${after}`,
  );
}

/** The reasons of a command, each once: many units often refuse for the same one. */
export function reasonsOf(refusals: readonly UnitRefusal[]): readonly RefusalReason[] {
  const byText = Map.groupBy(refusals, (each) => withoutName(textOf(each), each.unitId));
  return [...byText].map(([text, same]) => {
    const [first] = same;
    const units = same.flatMap(({ unit }) => unit ?? []);
    return { units, text: same.length === 1 && first !== undefined ? textOf(first) : text };
  });
}

/** How many units did what was asked; null: that is not known, or one unit was asked. */
export function doneCount({ refusals, units }: Extract<UnitCommand, { readonly phase: 'failed' }>): number | null {
  if (units === undefined || units < 2 || refusals.some(({ unit }) => unit === null)) return null;
  return units - new Set(refusals.map(({ unit, unitId }) => unitId ?? unit)).size;
}
