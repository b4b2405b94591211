import { exercisePsp } from './exercise-psp.js';
import { squareSubject } from './square-subject.js';

exercisePsp('square', squareSubject);
