import { stringify } from 'yaml';
import { readYaml, YamlError } from '../yaml/read-yaml.ts';
import { ArtefactInvalid, FileFields } from './file-fields.ts';

/** The name that a similar system gives this field in its files. */
const otherSpelling = 'calibrated_on_pioreactor_unit';

/** Characters: some thousand points, far above what calibrating makes. */
const longestArtefact = 65_536;

/** The fields of a YAML text. Numbers in quotes are text, moments are text. @throws ArtefactInvalid */
export function fieldsOfYaml(text: string): FileFields {
  if (text.length > longestArtefact)
    throw new ArtefactInvalid('', `The text is longer than ${longestArtefact} characters.`);
  try {
    return new FileFields(readYaml(text).value);
  } catch (error) {
    if (error instanceof YamlError) throw new ArtefactInvalid('', error.message);
    throw error;
  }
}

/** The unit that an artefact was made on, in either spelling. */
export const unitOf = (fields: FileFields): string =>
  fields.text(fields.has('calibrated_on_reactor_unit') ? 'calibrated_on_reactor_unit' : otherSpelling);

/** The YAML of an artefact, its fields in the order they have. */
export const yamlOf = (content: object): string => stringify(content, { lineWidth: 0, flowCollectionPadding: false });
