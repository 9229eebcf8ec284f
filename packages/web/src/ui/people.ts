import { commonWords } from '../words/common.ts';

/** Whether a source of an event is the way on which it came, or `user`: nobody had an account. */
export const isInterface = (source: string): boolean => /^(ui|user|cli|mqtt|http)$/i.test(source);

/** A person by name; one without an account has none. */
export const personText = (name: string): string => (isInterface(name) ? commonWords.unknownPerson : name);
