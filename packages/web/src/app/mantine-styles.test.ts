import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const source = join(import.meta.dirname, '..');
const styles = join(createRequire(import.meta.url).resolve('@mantine/core/styles.css'), '..', 'styles');

/** The components that files of the web UI import from Mantine. */
const used = new Set(
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => [
      ...readFileSync(join(source, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g),
    ])
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim())),
);

it('the style sheet has the styles of each component of Mantine that is used, in the order of its own sheet', () => {
  const listed = [
    ...readFileSync(join(import.meta.dirname, 'mantine.css'), 'utf8').matchAll(/styles\/([\w-]+)\.css"/g),
  ].map(([, name = '']) => name);
  const known = new Set(readdirSync(styles));
  const missing = [...used].filter((name) => known.has(`${name}.css`) && !listed.includes(name));
  expect(missing).toEqual([]);
  const whole = readFileSync(join(styles, '..', 'styles.css'), 'utf8');
  const positions = listed
    .map((name) => /\.m_[0-9a-f]+/.exec(readFileSync(join(styles, `${name}.css`), 'utf8'))?.[0])
    .flatMap((first) => (first === undefined ? [] : [whole.indexOf(first)]));
  expect(positions).toEqual([...positions].sort((left, right) => left - right));
  expect(positions.length).toBeGreaterThan(30);
});
