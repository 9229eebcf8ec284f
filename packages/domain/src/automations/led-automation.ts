import type { LedChannel } from '../vial/vial-parameters.ts';
import type { AutomationDeclaration } from './automation.ts';

export const ledChannels: readonly LedChannel[] = ['A', 'B', 'C', 'D'];

/** The intensity of an automation's LEDs, and how long it applies. */
export interface LightCommand {
  readonly percent: number;
  /** Milliseconds to the next change; undefined: never. */
  readonly changesInMs: number | undefined;
  /** The rule in one sentence with its numbers. */
  readonly rule: string;
}

/** An LED automation: a pure function of the time since its start and of its settings. */
export interface LedAutomation extends AutomationDeclaration {
  /** The LEDs that it drives. */
  readonly channels: readonly LedChannel[];
  evaluate(elapsedMs: number, setting: (name: string) => number): LightCommand;
}

interface LedRule<Setting extends string> extends AutomationDeclaration<Setting> {
  readonly channels: readonly LedChannel[];
  evaluate(elapsedMs: number, setting: (name: Setting) => number): LightCommand;
}

/** Makes an automation from a rule that reads only its own settings. */
export const ledAutomation = <Setting extends string>(rule: LedRule<Setting>): LedAutomation => rule;
