import { type Static, Type } from 'typebox';
import { closed, textLimit } from './common.ts';

export const CapsuleRequest = closed(
  {
    license: Type.Optional(
      Type.String({ minLength: 1, maxLength: textLimit, description: 'A URL or a text; default: none was stated' }),
    ),
  },
  { title: 'CapsuleRequest' },
);

/** The result of the task that makes a capsule. */
export const MadeCapsule = closed(
  {
    filename: Type.String({ description: 'Below /exports' }),
    bytes: Type.Integer(),
    sha256: Type.String(),
    files: Type.Integer({ description: 'Number of files in it' }),
  },
  { title: 'MadeCapsule' },
);
export type MadeCapsule = Static<typeof MadeCapsule>;
