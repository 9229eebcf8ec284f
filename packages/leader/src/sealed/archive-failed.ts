/** A sealed file could not be written, or not be read. */
export class ArchiveFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}
