import { Injectable } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { type Resource, type Site } from './site.js';

/** The pages below /docs. They are read and rendered at the first request, not at every start. */
@Injectable()
export class DocsSite {
  private site: Promise<Site> | undefined;
  private makeDocument: (() => Promise<OpenAPIObject>) | undefined;

  /** The document of the API describes all modules, so that none of them can make it. */
  documentMadeBy(make: () => Promise<OpenAPIObject>): void {
    this.makeDocument = make;
  }

  async at(path: string): Promise<Resource | undefined> {
    this.site ??= import('./site.js').then(({ Site }) => new Site(this.makeDocument!));
    return (await this.site).at(path);
  }
}
