import { openApiDocument } from '@lcs/contract';
import { toyApi } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import { referencePage } from './reference-page.ts';

const pageOf = (api: Parameters<typeof openApiDocument>[0]['api'], title = 'Toys') =>
  referencePage(openApiDocument({ title, version: '1.2.3', description: 'For <tests> & more', api }));

describe('the reference page', () => {
  const page = pageOf(toyApi);

  it('shows every route with method, path, summary and permission', () => {
    for (const [operation, { method, path, summary, permission }] of Object.entries(toyApi)) {
      const article = page.slice(page.indexOf(`<article id="route-${operation}"`)).split('</article>', 1)[0];
      expect(article).toContain(`>${method}</span><code>${path}</code>`);
      expect(article).toContain(`<p>${summary}</p>`);
      expect(article).toContain(`<code>${permission}</code>`);
    }
  });

  it('shows parameters, bodies, answers, errors and an example', () => {
    const article = page.slice(page.indexOf('<article id="route-putShelf"')).split('</article>', 1)[0] ?? '';
    expect(article).toContain('<h4>Path</h4>');
    expect(article).toContain('<h4>Body</h4>');
    expect(article).toContain('<code>integer (≥ 1) | null</code>');
    expect(article).toContain('<h4>Answer 200: A shelf</h4>');
    expect(article).toContain('<a href="#schema-Shelf">Shelf</a>');
    expect(article).toContain('Codes: invalid_body, malformed_request');
    expect(article).toContain("curl -X PUT '<span");
    expect(article).toContain("/api/shelves/SHELF' ");
    expect(article).toContain('-H &#39;content-type: application/json&#39;');
    expect(article).toContain('-d &#39;{&quot;label&quot;:&quot;…&quot;}&#39;');
    expect(page).toContain('<article id="schema-Shelf"');
  });

  it('loads nothing from anywhere', () => {
    expect(page).not.toMatch(/\b(src|srcset)=|<link|@import|url\(/);
    expect([...page.matchAll(/href="([^#][^"]*)"/g)]).toEqual([]);
  });

  it('has one h1, a language, a viewport, a labelled search and headings without gaps', () => {
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('name="viewport"');
    expect(page).toContain('<label for="search">');
    const levels = [...page.matchAll(/<h([1-6])\b/g)].map(([, level]) => Number(level));
    levels.reduce((before, level) => {
      expect(level - before).toBeLessThanOrEqual(1);
      return level;
    }, 0);
  });

  it('links only to places that exist, each of which exists once', () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it('escapes everything', () => {
    const nasty = '"><script>alert(1)</script>\'&';
    const { getShelf } = toyApi;
    const bad = pageOf({ getShelf: { ...getShelf, summary: nasty, description: nasty, tag: nasty } }, nasty);
    expect(bad.match(/<script>/g)).toHaveLength(1);
    expect(bad).not.toContain('alert(1)</script>');
    expect(bad).toContain('For &lt;tests&gt; &amp; more');
  });
});
