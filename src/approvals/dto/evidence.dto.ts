import { IsText } from '../../http/fields.js';
import { OperationDto } from './operation.dto.js';

export class NewFileDto extends OperationDto {
  @IsText({ minLength: 1, maxLength: 100, message: 'must be the name of the file, 1 to 100 characters' })
  name: string;
}
