import { sourceWithoutAccount } from '@lcs/contract';
import { commonWords } from '../words/common.ts';

/** Whether a source of an event is the way on which it came, or `user`: nobody had an account. */
export const isInterface = (source: string): boolean => /^(ui|user|cli|mqtt|http)$/i.test(source);

/** A person by name; one without an account has none. */
export const personText = (name: string): string => (isInterface(name) ? commonWords.unknownPerson : name);

/** The name by which the leader finds what a person with this text has done. */
export const personNamed = (text: string): string => (text === commonWords.unknownPerson ? sourceWithoutAccount : text);
