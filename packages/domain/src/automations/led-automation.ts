import type { LedChannel } from '../vial/vial-parameters.ts';
import type { AutomationDeclaration } from './automation.ts';

export const ledChannels: readonly LedChannel[] = ['A', 'B', 'C', 'D'];

/** What the LEDs of an automation shall be now, and until when that is so. */
export interface LightOrder {
  readonly percent: number;
  /** Milliseconds to the next change; undefined: none comes. */
  readonly changesInMs: number | undefined;
  /** The rule that says so, in one sentence with its numbers. */
  readonly rule: string;
}

/** A rule for LEDs: a pure function of the time since its start and of its settings. */
export interface LedAutomation extends AutomationDeclaration {
  /** Those that it drives; none: it leaves all as they are. */
  readonly channels: readonly LedChannel[];
  look(elapsedMs: number, setting: (name: string) => number): LightOrder;
}

interface LedRule<Setting extends string> extends AutomationDeclaration<Setting> {
  readonly channels: readonly LedChannel[];
  look(elapsedMs: number, setting: (name: Setting) => number): LightOrder;
}

/** Makes an automation of a rule whose settings are its own. */
export const ledAutomation = <Setting extends string>(rule: LedRule<Setting>): LedAutomation => rule;
