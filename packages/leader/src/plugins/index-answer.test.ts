import { expect, it } from 'vitest';
import { pluginsInAnswer } from './index-answer.ts';

const entry = (name: string, more: object = {}) => ({ package: { name, version: '1.2.0', ...more }, score: {} });

it('lists each package once, with its author or publisher, its page and its date', () => {
  const answer = {
    total: 3,
    objects: [
      entry('rocker', {
        description: ' Rocks the vial. ',
        date: '2026-02-01T10:00:00+01:00',
        author: { name: 'Lab' },
        publisher: { username: 'lab-bot' },
        links: { homepage: 'https://lab.example/rocker', repository: 'https://git.example' },
      }),
      entry('@lab/shaker', { publisher: { username: 'lab-bot' }, links: { repository: 'https://git.example/shaker' } }),
      entry('rocker', { version: '9.9.9' }),
    ],
  };
  expect(pluginsInAnswer(answer)).toEqual([
    {
      name: 'rocker',
      version: '1.2.0',
      description: 'Rocks the vial.',
      author: 'Lab',
      homepage: 'https://lab.example/rocker',
      published_at: '2026-02-01T09:00:00.000Z',
    },
    {
      name: '@lab/shaker',
      version: '1.2.0',
      description: null,
      author: 'lab-bot',
      homepage: 'https://git.example/shaker',
      published_at: null,
    },
  ]);
});

it('omits names that cannot be installed, entries without a version, and addresses that are not of the web', () => {
  const objects = [
    entry('--registry=evil'),
    entry('a b'),
    { package: { name: 'no-version' } },
    null,
    entry('fine', { links: { homepage: 'javascript:alert(1)', repository: 'git+ssh://git.example' }, date: 'soon' }),
  ];
  expect(pluginsInAnswer({ objects })).toEqual([
    { name: 'fine', version: '1.2.0', description: null, author: null, homepage: null, published_at: null },
  ]);
});

it('takes fields of another form as absent', () => {
  const odd = { description: 7, date: null, author: 'Lab <lab@example>', publisher: [], links: { homepage: {} } };
  expect(pluginsInAnswer({ objects: [entry('fine', odd)] })).toEqual([
    { name: 'fine', version: '1.2.0', description: null, author: null, homepage: null, published_at: null },
  ]);
});

it('is bounded in length', () => {
  const objects = Array.from({ length: 1_000 }, (_, index) => entry(`p${index}`, { description: 'x'.repeat(5_000) }));
  const plugins = pluginsInAnswer({ objects }) ?? [];
  expect(plugins).toHaveLength(200);
  expect(plugins[0]?.description).toHaveLength(300);
});

it.each([null, [], 'text', { objects: 'many' }, {}])('refuses %j, which is no answer of an index', (answer) => {
  expect(pluginsInAnswer(answer)).toBeUndefined();
});
