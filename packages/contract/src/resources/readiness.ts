import { type Static, Type } from 'typebox';
import { closed } from './common.ts';

/** The leader can answer requests. */
export const Readiness = closed({ status: Type.Literal('ready') }, { title: 'Readiness' });
export type Readiness = Static<typeof Readiness>;

/** The process runs. */
export const ProcessHealth = closed({ status: Type.Literal('alive') }, { title: 'Process health' });
export type ProcessHealth = Static<typeof ProcessHealth>;
