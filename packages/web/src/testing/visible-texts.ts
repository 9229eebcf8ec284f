import ts from 'typescript';

/** Attributes and properties whose texts people read, whatever they look like. */
const readNames = new Set([
  ...['label', 'title', 'placeholder', 'description', 'aria-label', 'alt', 'data-label'],
  ...['hint', 'synonyms', 'error', 'cause', 'remediation', 'detail'],
]);

/** Attributes and properties whose texts are for programs. */
const programNames = new Set([
  ...['className', 'd', 'transform', 'key', 'id', 'name', 'type', 'aria-keyshortcuts', 'fontFamily'],
  ...['queryKey', 'mutationKey'],
]);

const letter = /\p{L}/u;
/** A letter, a space, and another word; or a word that begins a sentence. */
const looksRead = (text: string): boolean =>
  /[\p{L}”’)\]%°][,.:;!?…”’)]*\s+[(“‘]?[\p{L}\d]/u.test(text) || /^\p{Lu}\p{Ll}+(-\p{Ll}+)?[.:?!…]?$/u.test(text);
/** A part of a template that joins words to a value. */
const joinsWords = (text: string): boolean =>
  looksRead(text) || /\p{L}{2,}[,.:;]?\s$|^\s\p{L}{2,}|^\p{Lu}\p{Ll}+/u.test(text);
/** Symbols of units are not words of a language. */
const unitSymbols = /^\s*(mL|mL\/s|°C|h|h⁻¹|s|ms|min|d|V|RPM|OD|AU|kB|MB|GB)?[\s\d\p{P}\p{S}]*$/u;

interface VisibleText {
  readonly line: number;
  readonly text: string;
}

/** What makes a literal a code or a key: comparisons, types, names of modules and properties, messages of programming errors. */
function isForPrograms(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent) || ts.isTaggedTemplateExpression(parent))
    return true;
  if (ts.isBinaryExpression(parent) && /^([!=]==|in)$/.test(parent.operatorToken.getText())) return true;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return true;
  return ts.isNewExpression(parent) && /(Error|RegExp)$/.test(parent.expression.getText());
}

/** What a literal is the value of, through conditions and lists: an attribute or a property by its name, or a child of an element. */
function purposeOf(node: ts.Node): { readonly name: string } | 'child' | undefined {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (ts.isJsxAttribute(at) || ts.isPropertyAssignment(at))
      return { name: at.name.getText().replaceAll(/['"]/g, '') };
    if (ts.isJsxExpression(at) && !ts.isJsxAttribute(at.parent)) return 'child';
    const passesOn = [
      ...[ts.isConditionalExpression, ts.isParenthesizedExpression, ts.isJsxExpression, ts.isAsExpression],
      ...[ts.isTemplateSpan, ts.isTemplateExpression, ts.isArrayLiteralExpression, ts.isBinaryExpression],
    ].some((is) => is(at));
    if (!passesOn) return undefined;
  }
  return undefined;
}

const partsOf = (node: ts.Node): readonly string[] => {
  if (ts.isJsxText(node) || ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  return ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]
    : [];
};

/** After a key, a list that has a word of the catalogue has words only. */
const isBesideWords = (node: ts.Node): boolean =>
  ts.isArrayLiteralExpression(node.parent) &&
  node.parent.elements[0] !== node &&
  node.parent.elements.some((each) => ts.isPropertyAccessExpression(each) && /Words$/.test(each.expression.getText()));

function isRead(node: ts.Node, parts: readonly string[]): boolean {
  if (!parts.some((part) => letter.test(part))) return false;
  if (ts.isJsxText(node)) return true;
  if (isForPrograms(node)) return false;
  const purpose = purposeOf(node);
  if (parts.length > 1 && parts.every((part) => unitSymbols.test(part))) return false;
  // A name with a capital letter is a title.
  const isTitle = typeof purpose === 'object' && purpose.name === 'name' && parts.some(looksRead);
  if (typeof purpose === 'object' && programNames.has(purpose.name)) return isTitle;
  if (isBesideWords(node)) return true;
  // Addresses, marks of SVG and HTML, sizes and colours of CSS.
  if (/^(\/|https?:|<|[Mm]-?\d|color-mix)|\d(px|em)\b|var\(--/.test(parts[0] ?? '')) return false;
  if (purpose === 'child' || (purpose !== undefined && readNames.has(purpose.name))) return true;
  return parts.some(parts.length > 1 ? joinsWords : looksRead);
}

/** The literals of a module that people read, or may read: what belongs into the catalogue. */
export function visibleTexts(fileName: string, source: string): readonly VisibleText[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const found: VisibleText[] = [];
  const visit = (node: ts.Node): void => {
    const parts = partsOf(node);
    if (isRead(node, parts)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart());
      found.push({ line: line + 1, text: parts.join('…').replaceAll(/\s+/g, ' ').trim() });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** All literals of a module: the texts of a catalogue. */
export function literalTexts(fileName: string, source: string): readonly string[] {
  const file = ts.createSourceFile(fileName, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (!ts.isImportDeclaration(node.parent ?? file)) found.push(...partsOf(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
