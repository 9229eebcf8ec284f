import { expect, it } from 'vitest';
import { fieldOfOption } from './job-forms.ts';

const fieldOf = (name: string) =>
  fieldOfOption(
    { name, long_flag: name, help: '', required: false, multiple: false, default: null, type: 'float' },
    undefined,
    undefined,
  );

it('an option has its own words, whatever its name', () => {
  expect(fieldOf('alt_media_fraction').help).toContain('alternative medium');
  expect(fieldOf('constructor')).toMatchObject({ label: 'Constructor', help: null });
});
