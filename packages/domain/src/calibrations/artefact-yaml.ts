import { parseDocument, stringify } from 'yaml';
import { ArtefactInvalid, FileFields } from './file-fields.ts';

/** The name that a similar system gives this field in its files. */
const otherSpelling = 'calibrated_on_pioreactor_unit';

/** The fields of a YAML text. Numbers in quotes are text, moments are text. @throws ArtefactInvalid */
export function fieldsOfYaml(text: string): FileFields {
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new ArtefactInvalid('', (fault.message.split('\n')[0] ?? fault.message).replace(/:$/, '.'));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ArtefactInvalid('', error instanceof Error ? error.message : String(error));
  }
  return new FileFields(value);
}

/** The unit that an artefact was made on, in either spelling. */
export const unitOf = (fields: FileFields): string =>
  fields.text(fields.has('calibrated_on_reactor_unit') ? 'calibrated_on_reactor_unit' : otherSpelling);

/** The YAML of an artefact, its fields in the order they have. */
export const yamlOf = (content: object): string => stringify(content, { lineWidth: 0, flowCollectionPadding: false });
