import { type Static, Type } from 'typebox';
import { closed, textLimit } from './common.ts';

/** The reactor model that the check assumes. */
export const HardwareCheck = closed(
  { model_name: Type.String({ maxLength: textLimit }), model_version: Type.String({ maxLength: textLimit }) },
  { title: 'HardwareCheck' },
);
export type HardwareCheck = Static<typeof HardwareCheck>;

/** Result of the task: whether the chips that the model needs answer. */
export const HardwareChecked = closed(
  {
    status: Type.Union([Type.Literal('ok'), Type.Literal('warning'), Type.Literal('skipped')]),
    reason: Type.Optional(Type.String({ description: 'Which chips do not answer, or why nothing was checked' })),
  },
  { title: 'HardwareChecked' },
);
export type HardwareChecked = Static<typeof HardwareChecked>;
