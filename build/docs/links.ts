import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { anchorOf } from './markdown.ts';

const outsideCode = (text: string): string => text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '').replaceAll(/`[^`\n]*`/g, '');

/** The anchors of a page; equal headings get numbers. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const seen = new Map<string, number>();
  for (const [, heading = ''] of text.replaceAll(/^(`{3,})[\s\S]*?^\1/gm, '').matchAll(/^#{1,6} (.+)$/gm)) {
    const anchor = anchorOf(heading);
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Why a link leads nowhere; undefined: it leads somewhere. */
function faultOf(file: string, anchor: string): string | undefined {
  if (!existsSync(file)) return 'no such file';
  if (anchor === '' || !file.endsWith('.md') || !statSync(file).isFile()) return undefined;
  return anchorsOf(readFileSync(file, 'utf8')).has(anchor) ? undefined : 'no such heading';
}

/** The links of a page and the source files that it names, and the pages that a source file names, where they do not exist. */
export function deadLinks(repository: string, file: string): readonly string[] {
  const text = readFileSync(path.join(repository, file), 'utf8');
  const isPage = file.endsWith('.md');
  const found = isPage
    ? [...outsideCode(text).matchAll(/\]\((?!https?:|mailto:|<)([^)#\s]*)(?:#([^)\s]*))?\)/g)].map(
        ([link, target = '', anchor = '']) => ({
          link,
          place: target === '' ? path.join(repository, file) : path.join(repository, path.dirname(file), target),
          anchor,
        }),
      )
    : [...text.matchAll(/\bdocs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(([link, target = '', anchor = '']) => ({
        link,
        place: path.join(repository, 'docs', target),
        anchor,
      }));
  const sources = isPage ? [...text.matchAll(/`([a-z-]+\/src\/[\w./-]+\.tsx?)`/g)] : [];
  const missing = sources.filter(([, source = '']) => !existsSync(path.join(repository, 'packages', source)));
  const dead = found.flatMap(({ link, place, anchor }) => {
    const fault = faultOf(place, anchor);
    return fault === undefined ? [] : [`${file}: ${link}: ${fault}`];
  });
  return [...dead, ...missing.map(([source]) => `${file}: ${source}: no such file`)];
}
