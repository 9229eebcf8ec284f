import { Type } from 'typebox';
import { closed } from './common.ts';

export const ProfileFormatted = closed(
  {
    body: Type.String({ description: 'The whole file as YAML' }),
    changed: Type.Boolean({ description: 'Whether it differs from the text of the request' }),
  },
  { title: 'ProfileFormatted' },
);
