import { exercisePsp } from './exercise-psp.js';
import { mollieSubject } from './mollie-subject.js';

exercisePsp('mollie', mollieSubject);
